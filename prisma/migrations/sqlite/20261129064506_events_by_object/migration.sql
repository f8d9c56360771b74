-- DropIndex
DROP INDEX "event_enterprise_id_subject_type_id_idx";

-- DropIndex
DROP INDEX "event_enterprise_id_user_id_id_idx";

-- DropIndex
DROP INDEX "event_enterprise_id_subject_type_subject_id_id_idx";

-- DropIndex
DROP INDEX "event_enterprise_id_action_id_idx";

-- CreateIndex
CREATE INDEX "event_subject_id_subject_type_id_idx" ON "event"("subject_id", "subject_type", "id");
