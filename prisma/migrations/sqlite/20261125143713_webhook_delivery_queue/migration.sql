-- DropIndex
DROP INDEX "webhook_delivery_webhook_id_subject_id_idx";

-- CreateIndex
CREATE INDEX "webhook_delivery_status_webhook_id_next_attempt_at_id_idx" ON "webhook_delivery"("status", "webhook_id", "next_attempt_at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_status_webhook_id_subject_id_idx" ON "webhook_delivery"("status", "webhook_id", "subject", "id");
