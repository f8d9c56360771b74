-- CreateTable
CREATE TABLE "key_rotation" (
    "key_id" TEXT COLLATE "C" NOT NULL,
    "from_key_id" TEXT COLLATE "C" NOT NULL,
    "began_at" TIMESTAMP(3) NOT NULL,
    "encrypted_values" INTEGER NOT NULL DEFAULT 0,
    "finished_at" TIMESTAMP(3),

    CONSTRAINT "key_rotation_pkey" PRIMARY KEY ("key_id")
);
