-- AlterTable
ALTER TABLE "component" ADD COLUMN "cpu_limit_millicores" INTEGER;
ALTER TABLE "component" ADD COLUMN "memory_limit_mib" INTEGER;
