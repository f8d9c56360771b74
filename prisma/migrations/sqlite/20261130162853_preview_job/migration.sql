-- CreateIndex
CREATE INDEX "preview_job_id_idx" ON "preview"("job_id");
