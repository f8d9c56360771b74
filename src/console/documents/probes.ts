import { graphql } from '../api/graphql.ts';

export const ProbeParts = graphql(`
  fragment ProbeParts on Probe @_unmask {
    http { path port scheme headers { name value } }
    tcp { port }
    grpc { port service }
    command
    initialDelaySeconds
    periodSeconds
    timeoutSeconds
    failureThreshold
    successThreshold
  }
`);

export const ProbesOf = graphql(
  `
  fragment ProbesOf on Component @_unmask {
    checksPorts
    probes {
      startup { ...ProbeParts }
      readiness { ...ProbeParts }
      liveness { ...ProbeParts }
    }
  }
`,
  [ProbeParts],
);
