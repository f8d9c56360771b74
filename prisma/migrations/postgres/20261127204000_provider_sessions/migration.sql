-- AlterTable
ALTER TABLE "session" ADD COLUMN     "provider_session" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "logout_token" (
    "id" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "logout_token_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "logout_token_expires_at_idx" ON "logout_token"("expires_at");

-- CreateIndex
CREATE INDEX "session_provider_session_idx" ON "session"("provider_session");
