-- DropIndex
DROP INDEX "user_account_email_key";

-- CreateIndex
CREATE UNIQUE INDEX "user_account_enterprise_id_email_key" ON "user_account"("enterprise_id", "email");
