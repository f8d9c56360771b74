-- CreateTable
CREATE TABLE "webhook" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "team_id" TEXT NOT NULL,
    "service_account_id" TEXT,
    "url" TEXT NOT NULL,
    "events" TEXT NOT NULL,
    "document" TEXT,
    "variables" TEXT,
    "sealed_secret" TEXT NOT NULL,
    "sealed_old_secret" TEXT,
    "old_secret_until" DATETIME,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "failing_since" DATETIME,
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "webhook_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "webhook_service_account_id_fkey" FOREIGN KEY ("service_account_id") REFERENCES "service_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "webhook_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "event_id" INTEGER,
    "message_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" DATETIME NOT NULL,
    "next_attempt_at" DATETIME,
    "owner" TEXT,
    "held_until" DATETIME,
    "attempted_at" DATETIME,
    "response_code" INTEGER,
    "response" TEXT,
    "error" TEXT,
    "duration_ms" INTEGER,
    "finished_at" DATETIME,
    CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook" ("id") ON DELETE CASCADE ON UPDATE CASCADE
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
