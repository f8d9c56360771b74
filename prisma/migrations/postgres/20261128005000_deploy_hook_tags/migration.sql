-- AlterTable
ALTER TABLE "deploy_hook" ADD COLUMN     "tag_pattern" TEXT COLLATE "C";

