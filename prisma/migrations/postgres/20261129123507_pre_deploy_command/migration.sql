-- AlterTable
ALTER TABLE "component" ADD COLUMN     "pre_deploy_command" TEXT COLLATE "C",
ADD COLUMN     "pre_deploy_timeout_seconds" INTEGER NOT NULL DEFAULT 3600;

-- AlterTable
ALTER TABLE "component_run" ADD COLUMN     "job_id" INTEGER;

-- AlterTable
ALTER TABLE "job_component" ADD COLUMN     "run_id" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "pending_deploy" (
    "component_id" TEXT COLLATE "C" NOT NULL,
    "run_id" TEXT COLLATE "C",
    "state_before" TEXT COLLATE "C" NOT NULL,
    "command" TEXT COLLATE "C" NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "sealed_spec" TEXT COLLATE "C" NOT NULL,
    "image" TEXT COLLATE "C",
    "digest" TEXT COLLATE "C",
    "resolved_at" TIMESTAMP(3),
    "is_pinned" BOOLEAN NOT NULL DEFAULT false,
    "pulls_always" BOOLEAN NOT NULL DEFAULT false,
    "deployed_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "pending_deploy_pkey" PRIMARY KEY ("component_id")
);

-- AddForeignKey
ALTER TABLE "pending_deploy" ADD CONSTRAINT "pending_deploy_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;
