-- AlterTable
ALTER TABLE "component" ADD COLUMN     "max_replicas" INTEGER,
ADD COLUMN     "min_replicas" INTEGER,
ADD COLUMN     "target_cpu_percent" INTEGER,
ADD COLUMN     "target_memory_percent" INTEGER;
