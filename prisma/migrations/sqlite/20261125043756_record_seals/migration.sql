-- CreateTable
CREATE TABLE "record_seal" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "enterprise_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "format" INTEGER NOT NULL,
    "first_event_id" INTEGER NOT NULL,
    "last_event_id" INTEGER NOT NULL,
    "event_count" INTEGER NOT NULL,
    "digests" TEXT,
    "events_hash" TEXT NOT NULL,
    "previous_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "at" DATETIME NOT NULL,
    "deleted_at" DATETIME,
    "deletion_key_id" TEXT,
    "deletion_signature" TEXT
);

-- CreateTable
CREATE TABLE "record_key" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "public_key" TEXT NOT NULL,
    "endorsed_by" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "retired_at" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "worker_lease" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "owner" TEXT NOT NULL,
    "until" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "record_seal_enterprise_id_last_event_id_idx" ON "record_seal"("enterprise_id", "last_event_id");

-- CreateIndex
CREATE UNIQUE INDEX "record_seal_enterprise_id_number_key" ON "record_seal"("enterprise_id", "number");

-- DropTrigger
DROP TRIGGER "event_no_delete";

-- CreateTrigger
CREATE TRIGGER "event_no_delete" BEFORE DELETE ON "event"
-- After their time, events are deleted by whole seals, which say so with a signature.
WHEN (
    SELECT s."deleted_at" IS NULL OR s."first_event_id" > OLD."id" FROM "record_seal" s
    WHERE s."enterprise_id" = OLD."enterprise_id" AND s."last_event_id" >= OLD."id"
    ORDER BY s."last_event_id" LIMIT 1
) IS NOT 0
BEGIN
    SELECT RAISE(ABORT, 'events are only ever added');
END;
