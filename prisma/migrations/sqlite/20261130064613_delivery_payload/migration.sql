-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN "payload_account_id" TEXT;
ALTER TABLE "webhook_delivery" ADD COLUMN "sealed_payload" TEXT;
