-- DropIndex
DROP INDEX "job_component_region_id_status_due_at_idx";

-- AlterTable
ALTER TABLE "job_component" ADD COLUMN     "previous_status" TEXT COLLATE "C" NOT NULL DEFAULT 'undeploy',
ADD COLUMN     "state" TEXT COLLATE "C" NOT NULL DEFAULT 'running';

-- CreateIndex
CREATE INDEX "job_component_status_region_id_due_at_idx" ON "job_component"("status", "region_id", "due_at");

-- CreateIndex
CREATE INDEX "job_component_region_id_lease_until_idx" ON "job_component"("region_id", "lease_until");
