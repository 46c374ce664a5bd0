from __future__ import annotations

import numpy as np
from dataclasses import dataclass
from functools import cache
from ..model.objective import reconstruct, coefficients
from ..model.layout import Factors
from .gaussian_wishart import Gaussian, GaussianWishart
from .bilinear_draws import Meetings, draw_rows, moments
from .conditionals import draw
from ..data.relational import RelationalData

class Chain:
    def __init__(self, data, y, logistic, A, R, b, rng, c, per_alpha=True, tau_per=False, tau0=(0.5,0.5), b_prec=0.01, beta=2.0, shared=False, tau_m=1.0, nu=0., w0=1.0):
        self.shared=shared; self.M=np.zeros(R.shape[1:]); self.tau_m=tau_m
        self.data, self.y, self.logistic = data, y, logistic
        self.A, self.R, self.b = A.copy(), R.copy(), b.copy()
        self.rng = rng
        self.c = np.ascontiguousarray(c)
        m, r = R.shape[0], R.shape[1]
        self.rngs = rng.spawn(m)
        self.meetings = Meetings.of(data)
        self.alpha = np.ones(m)
        self.tau = np.ones(m)
        self.tau_per, self.per_alpha, self.tau0, self.b_prec = tau_per, per_alpha, tau0, b_prec
        self.prior = GaussianWishart(np.zeros(r), beta, float(r)+nu); self.w0=w0
        self.root, self.value = np.ones(len(data)), np.zeros(len(data))
        self.rows = []
        for k in range(m):
            at = data.slice(k)
            rows, starts = np.unique(data.i[at], return_index=True)
            self.rows.append((rows, np.append(starts, at.stop-at.start)))
        self.refused = 0
        self.x = self.reconstruct()
        self.draw_tau(); self.hyper = self.hyp()

    def reconstruct(self):
        return reconstruct(Factors(self.A, self.R, ()), self.b, self.data)

    def sweep(self):
        self.augment()
        for k in range(self.R.shape[0]):
            self.draw_R(k)
        self.draw_tau()
        self.hyper = self.hyp()
        value = self.value - self.root * self.b[self.data.k]
        n, r = self.A.shape
        self.refused = draw_rows(self.meetings, self.root, value, self.R, self.hyper.precision, self.hyper.mean,
                  self.rng.normal(size=(n, r)), self.rng.random(n), self.A)
        self.x = self.reconstruct()

    def hyp(self):
        q = np.sqrt(self.w0)
        g = self.prior.draw(self.A/q, self.rng)
        return Gaussian(g.mean*q, g.precision/q**2)

    def augment(self):
        from polyagamma import random_polyagamma
        if not self.per_alpha:
            g = np.concatenate([np.arange(self.data.slice(k).start, self.data.slice(k).stop) for k in range(self.R.shape[0]) if not self.logistic[k]] or [np.zeros(0, int)])
            if g.size:
                d = self.y[g]-self.x[g]
                self.alpha[:] = self.rng.gamma(0.5 + 0.5*self.c[g].sum()) / (0.5 + 0.5*(self.c[g]*d*d).sum())
        for k in range(self.R.shape[0]):
            at = self.data.slice(k)
            c, y, x, rng = self.c[at], self.y[at], self.x[at], self.rngs[k]
            if not y.size: continue
            if self.logistic[k]:
                omega = random_polyagamma(c, x, random_state=rng)
                root = np.sqrt(omega)
                self.root[at] = root
                self.value[at] = 0.5*c*y/root
            else:
                d = y - x
                if self.per_alpha:
                    self.alpha[k] = rng.gamma(0.5 + 0.5*c.sum()) / (0.5 + 0.5*(c*d*d).sum())
                root = np.sqrt(self.alpha[k]*c)
                self.root[at] = root
                self.value[at] = root*y

    def draw_R(self, k):
        A, r, at = self.A, self.A.shape[1], self.data.slice(k)
        rows, starts = self.rows[k]
        directed = self.data.relations[k].directed
        idx = indices(r, directed)
        d = idx.size
        G = np.zeros((d+1, d+1)); h = np.zeros(d+1)
        if rows.size:
            mo = moments(starts, self.data.j[at], self.root[at], self.value[at], A)
            a = A[rows]
            p, q = np.triu_indices(r)
            P = a[:, p]*a[:, q]
            M = P.T @ mo[:, idx.second]
            if directed:
                G[:d,:d] = M.ravel()[idx.flat]
                lin = (a.T @ mo[:, idx.one]).ravel(); rhs = (a.T @ mo[:, idx.val]).ravel()
            else:
                N = (M + M.T).ravel()
                G[:d,:d] = (N[idx.flat] + N[idx.flat2]) * idx.scale
                l = a.T @ mo[:, idx.one]; lin = (l + l.T)[p, q]*idx.half
                l = a.T @ mo[:, idx.val]; rhs = (l + l.T)[p, q]*idx.half
            G[:d, d] = lin; G[d, :d] = lin; G[d, d] = mo[:, idx.oneone].sum()
            h[:d] = rhs; h[d] = mo[:, idx.oneval].sum()
        G[np.arange(d), np.arange(d)] += self.tau[k]*idx.prior
        G[d, d] += self.b_prec
        if self.shared:
            mm = self.M.ravel() if directed else self.M[np.triu_indices(r)]
            h[:d] += self.tau[k]*idx.prior*mm
        theta = draw(G, h, self.rngs[k].normal(size=d+1))
        self.b[k] = theta[d]
        if directed:
            self.R[k] = theta[:d].reshape(r, r)
        else:
            p, q = np.triu_indices(r)
            self.R[k][p, q] = theta[:d]; self.R[k][q, p] = theta[:d]

    def draw_tau(self):
        m, r = self.R.shape[:2]
        free = np.array([r*r if rel.directed else r*(r+1)//2 for rel in self.data.relations])
        if self.shared:
            directed = self.data.relations[0].directed
            prior = np.ones((r,r)) if directed else np.where(np.eye(r)>0, 1.0, 2.0)
            t = self.tau[0]
            P = prior*(m*t + self.tau_m)
            E = self.rng.normal(size=(r,r))
            if not directed: E = np.triu(E) + np.triu(E,1).T
            self.M = prior*t*self.R.sum(0)/P + E/np.sqrt(P)
            pm = np.where(np.eye(r)>0,1.0,1.0)
            f = r*r if directed else r*(r+1)//2
            self.tau_m = self.rng.gamma(self.tau0[0]+0.5*f)/(self.tau0[1]+0.5*(self.M**2).sum())
        sq = ((self.R-self.M)**2).sum((1,2))
        if self.tau_per:
            self.tau = self.rng.gamma(self.tau0[0] + 0.5*free) / (self.tau0[1] + 0.5*sq)
        else:
            self.tau = np.full(m, self.rng.gamma(self.tau0[0] + 0.5*free.sum())/(self.tau0[1]+0.5*sq.sum()))

class Idx: pass

@cache
def indices(r, directed):
    o = Idx()
    tri = np.zeros((r, r), int); p, q = np.triu_indices(r)
    tri[p, q] = tri[q, p] = np.arange(p.size)
    tri2 = np.zeros((r+2, r+2), int); pp, qq = np.triu_indices(r+2); tri2[pp, qq] = np.arange(pp.size)
    o.second = tri2[p, q]
    o.one = tri2[np.arange(r), r]; o.val = tri2[np.arange(r), r+1]; o.oneone = tri2[r, r]; o.oneval = tri2[r, r+1]
    D = p.size
    if directed:
        p, q = np.divmod(np.arange(r*r), r)
        o.prior = np.ones(r*r)
        o.flat = tri[p[:, None], p[None]]*D + tri[q[:, None], q[None]]
        o.size = r*r
    else:
        o.flat = tri[p[:, None], p[None]]*D + tri[q[:, None], q[None]]
        o.flat2 = tri[q[:, None], p[None]]*D + tri[p[:, None], q[None]]
        o.half = np.where(p == q, 0.5, 1.0)
        o.scale = o.half[:, None]*o.half[None]
        o.prior = np.where(p == q, 1.0, 2.0)
        o.size = D
    return o
