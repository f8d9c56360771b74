-- CreateTable
CREATE TABLE "deployment" (
    "component_id" TEXT NOT NULL PRIMARY KEY,
    "sealed_spec" TEXT NOT NULL,
    "deployed_at" DATETIME NOT NULL,
    CONSTRAINT "deployment_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "job" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "team_id" TEXT NOT NULL,
    "region_id" TEXT NOT NULL,
    "application_id" INTEGER,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "user_id" INTEGER,
    "request_id" TEXT NOT NULL,
    "error" TEXT,
    "created_at" DATETIME NOT NULL,
    "started_at" DATETIME,
    "ended_at" DATETIME,
    CONSTRAINT "job_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "job_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "job_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "job_component" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "job_id" INTEGER NOT NULL,
    "region_id" TEXT NOT NULL,
    "component_id" TEXT NOT NULL,
    "component_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
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

-- AlterTable
ALTER TABLE "component" ADD COLUMN "generation" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "component" ADD COLUMN "has_undeployed_changes" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "job_team_id_id_idx" ON "job"("team_id", "id");

-- CreateIndex
CREATE INDEX "job_application_id_id_idx" ON "job"("application_id", "id");

-- CreateIndex
CREATE INDEX "job_region_id_status_id_idx" ON "job"("region_id", "status", "id");

-- CreateIndex
CREATE INDEX "job_user_id_idx" ON "job"("user_id");

-- CreateIndex
CREATE INDEX "job_component_component_id_id_idx" ON "job_component"("component_id", "id");

-- CreateIndex
CREATE INDEX "job_component_region_id_status_due_at_idx" ON "job_component"("region_id", "status", "due_at");

-- CreateIndex
CREATE UNIQUE INDEX "job_component_job_id_component_id_key" ON "job_component"("job_id", "component_id");
