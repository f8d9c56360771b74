-- CreateIndex
CREATE INDEX "event_team_id_at_id_idx" ON "event"("team_id", "at", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_status_id_idx" ON "webhook_delivery"("webhook_id", "status", "id");

-- CreateIndex
CREATE INDEX "job_team_id_status_id_idx" ON "job"("team_id", "status", "id");

-- CreateIndex
CREATE INDEX "job_application_id_status_id_idx" ON "job"("application_id", "status", "id");
