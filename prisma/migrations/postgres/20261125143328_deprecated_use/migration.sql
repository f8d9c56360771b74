-- CreateTable
CREATE TABLE "deprecated_use" (
    "id" SERIAL NOT NULL,
    "token_id" TEXT COLLATE "C" NOT NULL,
    "field" TEXT COLLATE "C" NOT NULL,
    "count" INTEGER NOT NULL,
    "last_used_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "deprecated_use_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "deprecated_use_token_id_field_key" ON "deprecated_use"("token_id", "field");

-- AddForeignKey
ALTER TABLE "deprecated_use" ADD CONSTRAINT "deprecated_use_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_token"("id") ON DELETE CASCADE ON UPDATE CASCADE;
