-- AlterTable
ALTER TABLE "component_group" ADD COLUMN "offered_version" TEXT;
