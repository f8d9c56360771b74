-- CreateTable
CREATE TABLE "idempotency_key" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "sealed_input" TEXT NOT NULL,
    "sealed_answer" TEXT,
    "owner" TEXT,
    "held_until_ms" REAL NOT NULL,
    "created_at_ms" REAL NOT NULL
);

-- CreateTable
CREATE TABLE "idempotency_result" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key_id" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "sealed_result" TEXT NOT NULL,
    CONSTRAINT "idempotency_result_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "idempotency_key" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_ms_idx" ON "idempotency_key"("created_at_ms");

-- CreateIndex
CREATE UNIQUE INDEX "idempotency_result_key_id_path_key" ON "idempotency_result"("key_id", "path");
