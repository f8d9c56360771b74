-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_job_component" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "job_id" INTEGER NOT NULL,
    "region_id" TEXT NOT NULL,
    "component_id" TEXT NOT NULL,
    "component_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'running',
    "previous_status" TEXT NOT NULL DEFAULT 'undeploy',
    "step" INTEGER NOT NULL DEFAULT 0,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" DATETIME NOT NULL,
    "lease_owner" TEXT,
    "lease_until" DATETIME,
    "removed" TEXT,
    "error" TEXT,
    "started_at" DATETIME,
    "ended_at" DATETIME,
    CONSTRAINT "job_component_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "job" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_job_component" ("action", "attempts", "component_id", "component_name", "due_at", "ended_at", "error", "generation", "id", "job_id", "lease_owner", "lease_until", "region_id", "removed", "started_at", "status", "step") SELECT "action", "attempts", "component_id", "component_name", "due_at", "ended_at", "error", "generation", "id", "job_id", "lease_owner", "lease_until", "region_id", "removed", "started_at", "status", "step" FROM "job_component";
DROP TABLE "job_component";
ALTER TABLE "new_job_component" RENAME TO "job_component";
CREATE INDEX "job_component_component_id_id_idx" ON "job_component"("component_id", "id");
CREATE INDEX "job_component_status_region_id_due_at_idx" ON "job_component"("status", "region_id", "due_at");
CREATE INDEX "job_component_region_id_lease_until_idx" ON "job_component"("region_id", "lease_until");
CREATE UNIQUE INDEX "job_component_job_id_component_id_key" ON "job_component"("job_id", "component_id");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
