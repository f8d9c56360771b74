/** A problem of one value of an input, with its place in a document. */
export interface Issue {
  path: (string | number)[];
  message: string;
  line?: number;
  column?: number;
}

interface Told {
  code?: string | undefined;
  requestId?: string | null | undefined;
  issues?: Issue[] | undefined;
  file?: string | undefined;
}

/** An error that ends a command with the exit status 1 and its message on standard error. */
export class Failure extends Error {
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly issues: readonly Issue[];
  /** The file that the issues are in. */
  readonly file: string | undefined;

  constructor(message: string, told: Told = {}) {
    super(message);
    this.code = told.code;
    this.requestId = told.requestId ?? undefined;
    this.issues = told.issues ?? [];
    this.file = told.file;
  }
}
