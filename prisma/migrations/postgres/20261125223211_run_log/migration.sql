-- CreateTable
CREATE TABLE "run_log" (
    "run_id" TEXT COLLATE "C" NOT NULL,
    "sealed_lines" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "run_log_pkey" PRIMARY KEY ("run_id")
);

-- AddForeignKey
ALTER TABLE "run_log" ADD CONSTRAINT "run_log_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "component_run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
