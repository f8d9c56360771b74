-- CreateTable
CREATE TABLE "record_seal" (
    "id" SERIAL NOT NULL,
    "enterprise_id" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "format" INTEGER NOT NULL,
    "first_event_id" INTEGER NOT NULL,
    "last_event_id" INTEGER NOT NULL,
    "event_count" INTEGER NOT NULL,
    "digests" TEXT COLLATE "C",
    "events_hash" TEXT COLLATE "C" NOT NULL,
    "previous_hash" TEXT COLLATE "C" NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "key_id" TEXT COLLATE "C" NOT NULL,
    "signature" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "deleted_at" TIMESTAMP(3),
    "deletion_key_id" TEXT COLLATE "C",
    "deletion_signature" TEXT COLLATE "C",

    CONSTRAINT "record_seal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "record_key" (
    "id" TEXT COLLATE "C" NOT NULL,
    "public_key" TEXT COLLATE "C" NOT NULL,
    "endorsed_by" TEXT COLLATE "C" NOT NULL,
    "signature" TEXT COLLATE "C" NOT NULL,
    "retired_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "record_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "worker_lease" (
    "name" TEXT COLLATE "C" NOT NULL,
    "owner" TEXT COLLATE "C" NOT NULL,
    "until" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "worker_lease_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "record_seal_enterprise_id_last_event_id_idx" ON "record_seal"("enterprise_id", "last_event_id");

-- CreateIndex
CREATE UNIQUE INDEX "record_seal_enterprise_id_number_key" ON "record_seal"("enterprise_id", "number");

-- CreateFunction
CREATE OR REPLACE FUNCTION "refuse_event_change"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    -- After their time, events are deleted by whole seals, which say so with a signature.
    IF TG_OP = 'DELETE' AND (
        SELECT s."deleted_at" IS NOT NULL AND s."first_event_id" <= OLD."id" FROM "record_seal" s
        WHERE s."enterprise_id" = OLD."enterprise_id" AND s."last_event_id" >= OLD."id"
        ORDER BY s."last_event_id" LIMIT 1
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'events are only ever added';
END;
$$;
