-- CreateTable
CREATE TABLE "component_crash" (
    "component_id" TEXT COLLATE "C" NOT NULL,
    "generation" INTEGER NOT NULL,
    "recorded_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "component_crash_pkey" PRIMARY KEY ("component_id")
);
