-- AlterTable
ALTER TABLE "idempotency_key" ADD COLUMN     "stored_bytes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "user_id" INTEGER;

-- CreateIndex
CREATE INDEX "idempotency_key_user_id_created_at_ms_stored_bytes_idx" ON "idempotency_key"("user_id", "created_at_ms", "stored_bytes");
