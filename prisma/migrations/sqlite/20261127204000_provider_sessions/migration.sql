-- AlterTable
ALTER TABLE "session" ADD COLUMN "provider_session" TEXT;

-- CreateTable
CREATE TABLE "logout_token" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "expires_at" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "logout_token_expires_at_idx" ON "logout_token"("expires_at");

-- CreateIndex
CREATE INDEX "session_provider_session_idx" ON "session"("provider_session");
