-- AlterTable
ALTER TABLE "component" ADD COLUMN "max_replicas" INTEGER;
ALTER TABLE "component" ADD COLUMN "min_replicas" INTEGER;
ALTER TABLE "component" ADD COLUMN "target_cpu_percent" INTEGER;
ALTER TABLE "component" ADD COLUMN "target_memory_percent" INTEGER;
