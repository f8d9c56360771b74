-- AlterTable
ALTER TABLE "component" ADD COLUMN     "generation" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "has_undeployed_changes" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "deployment" (
    "component_id" TEXT COLLATE "C" NOT NULL,
    "sealed_spec" TEXT COLLATE "C" NOT NULL,
    "deployed_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "deployment_pkey" PRIMARY KEY ("component_id")
);

-- CreateTable
CREATE TABLE "job" (
    "id" SERIAL NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "region_id" TEXT COLLATE "C" NOT NULL,
    "application_id" INTEGER,
    "kind" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "user_id" INTEGER,
    "request_id" TEXT COLLATE "C" NOT NULL,
    "error" TEXT COLLATE "C",
    "created_at" TIMESTAMP(3) NOT NULL,
    "started_at" TIMESTAMP(3),
    "ended_at" TIMESTAMP(3),

    CONSTRAINT "job_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job_component" (
    "id" SERIAL NOT NULL,
    "job_id" INTEGER NOT NULL,
    "region_id" TEXT COLLATE "C" NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "component_name" TEXT COLLATE "C" NOT NULL,
    "action" TEXT COLLATE "C" NOT NULL,
    "generation" INTEGER NOT NULL,
    "step" INTEGER NOT NULL DEFAULT 0,
    "status" TEXT COLLATE "C" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMP(3) NOT NULL,
    "lease_owner" TEXT COLLATE "C",
    "lease_until" TIMESTAMP(3),
    "removed" TEXT COLLATE "C",
    "error" TEXT COLLATE "C",
    "started_at" TIMESTAMP(3),
    "ended_at" TIMESTAMP(3),

    CONSTRAINT "job_component_pkey" PRIMARY KEY ("id")
);

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

-- AddForeignKey
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job" ADD CONSTRAINT "job_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job" ADD CONSTRAINT "job_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job" ADD CONSTRAINT "job_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_component" ADD CONSTRAINT "job_component_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "job"("id") ON DELETE CASCADE ON UPDATE CASCADE;
