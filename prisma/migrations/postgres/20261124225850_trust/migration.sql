-- AlterTable
ALTER TABLE "access_token" ADD COLUMN     "trust_id" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "trust" (
    "id" TEXT COLLATE "C" NOT NULL,
    "service_account_id" TEXT COLLATE "C" NOT NULL,
    "issuer" TEXT COLLATE "C" NOT NULL,
    "audience" TEXT COLLATE "C" NOT NULL,
    "claims" TEXT COLLATE "C" NOT NULL,
    "grants" TEXT COLLATE "C",
    "expires_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "trust_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "exchanged_token" (
    "id" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "exchanged_token_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "trust_service_account_id_created_at_id_idx" ON "trust"("service_account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "trust_issuer_audience_idx" ON "trust"("issuer", "audience");

-- CreateIndex
CREATE INDEX "exchanged_token_expires_at_idx" ON "exchanged_token"("expires_at");

-- CreateIndex
CREATE INDEX "access_token_trust_id_expires_at_idx" ON "access_token"("trust_id", "expires_at");

-- AddForeignKey
ALTER TABLE "trust" ADD CONSTRAINT "trust_service_account_id_fkey" FOREIGN KEY ("service_account_id") REFERENCES "service_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
