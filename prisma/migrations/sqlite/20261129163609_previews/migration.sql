-- AlterTable
ALTER TABLE "application" ADD COLUMN "previews" TEXT;

-- CreateTable
CREATE TABLE "preview" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "application_id" INTEGER NOT NULL,
    "team_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "copy_id" INTEGER,
    "expires_at" DATETIME NOT NULL,
    "job_id" INTEGER,
    "seed" TEXT,
    "seed_run_id" TEXT,
    "problem" TEXT,
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "preview_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "preview_copy_id_fkey" FOREIGN KEY ("copy_id") REFERENCES "application" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "preview_copy_id_key" ON "preview"("copy_id");

-- CreateIndex
CREATE INDEX "preview_application_id_created_at_id_idx" ON "preview"("application_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "preview_expires_at_idx" ON "preview"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "preview_application_id_key_key" ON "preview"("application_id", "key");
