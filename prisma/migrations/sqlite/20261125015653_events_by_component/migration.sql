-- CreateIndex
CREATE INDEX "event_component_id_id_idx" ON "event"("component_id", "id");
