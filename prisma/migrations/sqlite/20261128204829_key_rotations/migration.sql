-- CreateTable
CREATE TABLE "key_rotation" (
    "key_id" TEXT NOT NULL PRIMARY KEY,
    "from_key_id" TEXT NOT NULL,
    "began_at" DATETIME NOT NULL,
    "encrypted_values" INTEGER NOT NULL DEFAULT 0,
    "finished_at" DATETIME
);
