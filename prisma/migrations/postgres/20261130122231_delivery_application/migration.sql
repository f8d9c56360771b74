-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN     "application_id" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "webhook_delivery_status_webhook_id_application_id_next_atte_idx" ON "webhook_delivery"("status", "webhook_id", "application_id", "next_attempt_at", "id");
