-- AlterTable
ALTER TABLE "access_token" ADD COLUMN "trust_id" TEXT;

-- CreateTable
CREATE TABLE "trust" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "service_account_id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "claims" TEXT NOT NULL,
    "grants" TEXT,
    "expires_at" DATETIME,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "trust_service_account_id_fkey" FOREIGN KEY ("service_account_id") REFERENCES "service_account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "exchanged_token" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "expires_at" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "trust_service_account_id_created_at_id_idx" ON "trust"("service_account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "trust_issuer_audience_idx" ON "trust"("issuer", "audience");

-- CreateIndex
CREATE INDEX "exchanged_token_expires_at_idx" ON "exchanged_token"("expires_at");

-- CreateIndex
CREATE INDEX "access_token_trust_id_expires_at_idx" ON "access_token"("trust_id", "expires_at");
