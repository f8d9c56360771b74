-- CreateTable
CREATE TABLE "gateway" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "key_ids" TEXT NOT NULL,
    "started_at" DATETIME NOT NULL,
    "seen_at" DATETIME NOT NULL
);
