-- CreateTable
CREATE TABLE "run_log" (
    "run_id" TEXT NOT NULL PRIMARY KEY,
    "sealed_lines" TEXT NOT NULL,
    CONSTRAINT "run_log_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "component_run" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
