/** The claims of a token, as its issuer has them. */
export type Claims = { readonly [name: string]: unknown };

/** A token that was read, but whose signature was not checked: anyone can have made it. */
export interface UncheckedToken {
  text: string;
  issuer: string;
  audience: string;
}

/** A token whose signature and times are valid. */
export interface CheckedToken {
  claims: Claims;
  /** Identifies the token, so that it is accepted once. The same for every encoding of the token. */
  uniqueId: string;
  /** When the token is refused as expired. */
  expiresAt: Date;
}

/** Issuers of tokens for machines, such as CI systems: OpenID Connect providers whose keys can be read. */
export interface TokenIssuers {
  /** Whether the address of an issuer can be used. */
  supports(issuer: string): boolean;
  /** Reads a token. Throws TokenExchangeError if no trust could ever accept it. */
  read(text: string): Promise<UncheckedToken>;
  /**
   * Checks the token with the keys of its issuer, which is contacted: only call it for issuers that a trust names. Throws
   * TokenExchangeError if the token is not valid, UNAVAILABLE if the keys cannot be read. `group` limits how many issuers are
   * contacted at the same time for the same reason.
   */
  check(token: UncheckedToken, group: string): Promise<CheckedToken>;
}
