-- CreateTable
CREATE TABLE "gateway" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "version" TEXT COLLATE "C" NOT NULL,
    "key_ids" TEXT COLLATE "C" NOT NULL,
    "started_at" TIMESTAMP(3) NOT NULL,
    "seen_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "gateway_pkey" PRIMARY KEY ("id")
);
