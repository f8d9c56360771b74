-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN     "payload_account_id" TEXT COLLATE "C",
ADD COLUMN     "sealed_payload" TEXT COLLATE "C";
