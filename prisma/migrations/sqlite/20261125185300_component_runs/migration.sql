-- CreateTable
CREATE TABLE "component_run" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "component_id" TEXT NOT NULL,
    "region_id" TEXT NOT NULL,
    "command" TEXT NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "exit_code" INTEGER,
    "reason" TEXT,
    "user_id" INTEGER,
    "service_account_id" TEXT,
    "request_id" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "placed_at" DATETIME,
    "started_at" DATETIME,
    "ended_at" DATETIME,
    "due_at" DATETIME,
    "owner" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "component_run_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "component_run_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "component_run_component_id_created_at_id_idx" ON "component_run"("component_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "component_run_due_at_idx" ON "component_run"("due_at");

-- CreateIndex
CREATE INDEX "component_run_user_id_idx" ON "component_run"("user_id");
