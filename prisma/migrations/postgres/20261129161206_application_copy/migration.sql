-- AlterTable
ALTER TABLE "application" ADD COLUMN     "copy_of_id" INTEGER;
