-- CreateIndex
CREATE INDEX "event_enterprise_id_subject_type_id_idx" ON "event"("enterprise_id", "subject_type", "id");

-- CreateIndex
CREATE INDEX "event_team_id_subject_type_id_idx" ON "event"("team_id", "subject_type", "id");
