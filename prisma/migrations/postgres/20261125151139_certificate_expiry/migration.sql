-- AlterTable
ALTER TABLE "certificate" ADD COLUMN     "told_days" INTEGER;

-- CreateIndex
CREATE INDEX "certificate_expires_at_idx" ON "certificate"("expires_at");
