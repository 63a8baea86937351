#include "missing.cl"
/* kernel void hidden(CT_ARGS) */
kernel void power(CT_ARGS)
{
}
