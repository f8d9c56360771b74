-- CreateTable
CREATE TABLE "component_release" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "component_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "image" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "sealed_spec" TEXT NOT NULL,
    "restored_number" INTEGER,
    "promoted_id" INTEGER,
    "job_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "service_account_id" TEXT,
    "deploy_hook_id" TEXT,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "component_release_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "component_release_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "component_release_user_id_idx" ON "component_release"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "component_release_component_id_number_key" ON "component_release"("component_id", "number");
