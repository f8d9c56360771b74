-- CreateTable
CREATE TABLE "webhook" (
    "id" TEXT COLLATE "C" NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "service_account_id" TEXT COLLATE "C",
    "url" TEXT COLLATE "C" NOT NULL,
    "events" TEXT COLLATE "C" NOT NULL,
    "document" TEXT COLLATE "C",
    "variables" TEXT COLLATE "C",
    "sealed_secret" TEXT COLLATE "C" NOT NULL,
    "sealed_old_secret" TEXT COLLATE "C",
    "old_secret_until" TIMESTAMP(3),
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT COLLATE "C",
    "failing_since" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" SERIAL NOT NULL,
    "webhook_id" TEXT COLLATE "C" NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "event_id" INTEGER,
    "message_id" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMP(3) NOT NULL,
    "next_attempt_at" TIMESTAMP(3),
    "owner" TEXT COLLATE "C",
    "held_until" TIMESTAMP(3),
    "attempted_at" TIMESTAMP(3),
    "response_code" INTEGER,
    "response" TEXT COLLATE "C",
    "error" TEXT COLLATE "C",
    "duration_ms" INTEGER,
    "finished_at" TIMESTAMP(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_team_id_created_at_id_idx" ON "webhook"("team_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_service_account_id_idx" ON "webhook"("service_account_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_id_idx" ON "webhook_delivery"("webhook_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_subject_id_idx" ON "webhook_delivery"("webhook_id", "subject", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_status_next_attempt_at_idx" ON "webhook_delivery"("status", "next_attempt_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_finished_at_idx" ON "webhook_delivery"("finished_at");

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_service_account_id_fkey" FOREIGN KEY ("service_account_id") REFERENCES "service_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;
