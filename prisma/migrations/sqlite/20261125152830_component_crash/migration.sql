-- CreateTable
CREATE TABLE "component_crash" (
    "component_id" TEXT NOT NULL PRIMARY KEY,
    "generation" INTEGER NOT NULL,
    "recorded_at" DATETIME NOT NULL
);
