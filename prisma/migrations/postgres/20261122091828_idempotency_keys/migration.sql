-- CreateTable
CREATE TABLE "idempotency_key" (
    "id" TEXT COLLATE "C" NOT NULL,
    "sealed_input" TEXT COLLATE "C" NOT NULL,
    "sealed_answer" TEXT COLLATE "C",
    "owner" TEXT COLLATE "C",
    "held_until_ms" DOUBLE PRECISION NOT NULL,
    "created_at_ms" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_result" (
    "id" SERIAL NOT NULL,
    "key_id" TEXT COLLATE "C" NOT NULL,
    "path" TEXT COLLATE "C" NOT NULL,
    "sealed_result" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "idempotency_result_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_ms_idx" ON "idempotency_key"("created_at_ms");

-- CreateIndex
CREATE UNIQUE INDEX "idempotency_result_key_id_path_key" ON "idempotency_result"("key_id", "path");

-- AddForeignKey
ALTER TABLE "idempotency_result" ADD CONSTRAINT "idempotency_result_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "idempotency_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;
