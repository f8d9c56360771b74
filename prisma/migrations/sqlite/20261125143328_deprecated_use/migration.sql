-- CreateTable
CREATE TABLE "deprecated_use" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "token_id" TEXT NOT NULL,
    "field" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "last_used_at" DATETIME NOT NULL,
    CONSTRAINT "deprecated_use_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_token" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "deprecated_use_token_id_field_key" ON "deprecated_use"("token_id", "field");
