-- AlterTable
ALTER TABLE "component" ADD COLUMN     "entrypoint" TEXT COLLATE "C";
