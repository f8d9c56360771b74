-- AlterTable
ALTER TABLE "application" ADD COLUMN     "previews" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "preview" (
    "id" TEXT COLLATE "C" NOT NULL,
    "application_id" INTEGER NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "copy_id" INTEGER,
    "expires_at" TIMESTAMP(3) NOT NULL,
    "job_id" INTEGER,
    "seed" TEXT COLLATE "C",
    "seed_run_id" TEXT COLLATE "C",
    "problem" TEXT COLLATE "C",
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "preview_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "preview_copy_id_key" ON "preview"("copy_id");

-- CreateIndex
CREATE INDEX "preview_application_id_created_at_id_idx" ON "preview"("application_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "preview_expires_at_idx" ON "preview"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "preview_application_id_key_key" ON "preview"("application_id", "key");

-- AddForeignKey
ALTER TABLE "preview" ADD CONSTRAINT "preview_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "preview" ADD CONSTRAINT "preview_copy_id_fkey" FOREIGN KEY ("copy_id") REFERENCES "application"("id") ON DELETE SET NULL ON UPDATE CASCADE;
