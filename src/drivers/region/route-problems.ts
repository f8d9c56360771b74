import type { ComponentIdentity, DesiredHttpRule } from './desired.ts';

/** The problems of a team's HTTP rules in a cluster. */
export interface RouteProblems {
  of(rule: Pick<DesiredHttpRule, 'domain' | 'path' | 'header' | 'cookie'>): string[];
}

export interface TcpRouteProblems {
  of(rule: { component: Pick<ComponentIdentity, 'id' | 'clusterName'>; outerPort: number }): string[];
}

/** A look at the conditions of gateways and routes. */
export interface RouteAccess {
  problems(regionId: string, teamId: string, signal: AbortSignal): Promise<RouteProblems>;
  tcpProblems(regionId: string, teamId: string, signal: AbortSignal): Promise<TcpRouteProblems>;
}
