/** Why a change was refused. */
export interface Failure {
  code: string;
  message: string;
  issues: readonly Issue[];
}

export interface Issue {
  path: readonly string[];
  message: string;
  /** Where it is in a document. */
  line?: number;
  column?: number;
}
